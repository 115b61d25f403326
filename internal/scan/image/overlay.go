package image

type node struct{}
