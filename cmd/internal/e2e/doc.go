// Package e2e holds no code, only tests: the commands as users run them, in
// shells and pipes, on the traces of testdata, and the examples of README.md.
package e2e
