package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"dvmtools/pkg/stream"
)

// release is the version of the sources, for builds without another version.
const release = "0.1.0"

// version is set by "-ldflags -X dvmtools/cmd/internal/cli.version=1.2.3".
var version string

// Version returns the version of the program: the one given to the linker, else
// that of the module, else that of the sources. Builds of a working copy have the
// version of the sources without a revision, so that output with the version in
// it does not differ from commit to commit.
func Version() string {
	if version != "" {
		return strings.TrimPrefix(version, "v")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return moduleVersion(info.Main.Version)
	}
	return release
}

// moduleVersion returns a tagged version without its "v", else [release].
func moduleVersion(v string) string {
	if v == "" || v == "(devel)" || strings.HasPrefix(v, "v0.0.0-") || strings.Contains(v, "+") || strings.Contains(v, "-0.") {
		return release
	}
	return strings.TrimPrefix(v, "v")
}

// versionLine returns what --version prints.
func versionLine(name string) string {
	name, _, _ = strings.Cut(name, " ") // a command of a group has the version of the group
	return fmt.Sprintf("%s %s (schema %d, %s, %s/%s)\n",
		name, Version(), stream.SchemaVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
