public class Shape {
  public Shape() {
  }
}
