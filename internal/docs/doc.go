// Package docs holds the test that keeps docs/model.md true: the functions that
// the page names exist, and every cost, handler and figure of the code is on
// it. It has no code of its own.
package docs
