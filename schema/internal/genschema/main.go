// Genschema writes the JSON Schemas of all records into the current
// directory.
//
//	go generate ./schema
package main

import (
	"fmt"
	"os"

	"dvmtools/schema/internal/definition"
)

func main() {
	for _, f := range definition.Files() {
		if err := os.WriteFile(f.Name, f.Text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "genschema:", err)
			os.Exit(4)
		}
	}
}
