package scan

type trace struct{}
