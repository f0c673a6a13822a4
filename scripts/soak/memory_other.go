//go:build !unix

package main

import "errors"

// memory needs named pipes and the system's account of memory.
func memory(int64) ([]used, error) {
	return nil, errors.New("memory is measured on Unix systems only; run the other parts with -part")
}
