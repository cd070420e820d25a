package p

const (
	a = iota
)

func f() {
}
