//go:build linux

package e2e_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dvmtools/internal/effort"
)

// slurm is Slurm on one node, this one, for a test.
type slurm struct {
	*testing.T
	dir, host string
	env       []string
}

// config is what slurm.conf says of it.
const config = `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge/socket
CredType=cred/munge
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.pid
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// patience is how long is waited for what takes seconds.
const patience = 3 * time.Minute

// wait waits until something is so.
func (s *slurm) wait(what string, is func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("waited too long until %s", what)
		}
	}
}

// output runs a command and returns what it writes.
func (s *slurm) output(name string, args ...string) string {
	s.Helper()
	c := exec.CommandContext(s.Context(), name, args...)
	c.Env, c.Dir = s.env, s.dir
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		s.Fatalf("%s %q: %v\n%s", name, args, err, errs.String())
	}
	return strings.TrimSpace(string(out))
}

// daemon starts a program that ends with the test.
func (s *slurm) daemon(name string, args ...string) {
	s.Helper()
	log, err := os.Create(filepath.Join(s.dir, name+".out"))
	if err != nil {
		s.Fatal(err)
	}
	c := exec.Command(name, args...)
	c.Env, c.Dir, c.Stdout, c.Stderr = s.env, s.dir, log, log
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(10*time.Second, func() { c.Process.Kill() })
		c.Wait()
		late.Stop()
		log.Close()
		if s.Failed() {
			b, _ := os.ReadFile(log.Name())
			s.Logf("%s said:\n%s", name, b)
		}
	})
}

// port returns a free port.
func (s *slurm) port() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// newSlurm starts munged, slurmctld and slurmd. Jobs find the commands of this
// module, and before them what path holds.
func newSlurm(t *testing.T, path string) *slurm {
	t.Helper()
	dir, err := os.MkdirTemp("", "slurm") // a short name: that of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := &slurm{T: t, dir: dir}
	for _, v := range environment() {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			v = "PATH=" + path + ":" + p + ":/usr/sbin"
		}
		s.env = append(s.env, v)
	}
	s.env = append(s.env, "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))
	s.host = s.output("hostname", "-s")
	key := make([]byte, 128)
	rand.Read(key)
	for _, d := range []string{"munge", "state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o711); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, "munge", name) }
	text := fmt.Sprintf(config, s.host, s.output("id", "-un"), dir, s.port(), s.port())
	if err := os.WriteFile(filepath.Join(dir, "slurm.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("key"), key, 0o400); err != nil {
		t.Fatal(err)
	}
	s.daemon("munged", "--force", "--foreground", "--key-file="+in("key"), "--socket="+in("socket"), "--pid-file="+in("pid"), "--log-file="+in("log"), "--seed-file="+in("seed"))
	s.wait("munged answers", func() bool { _, err := os.Stat(in("socket")); return err == nil })
	s.daemon("slurmctld", "-D")
	s.daemon("slurmd", "-D", "-N", s.host)
	s.wait("the node is idle", func() bool {
		c := exec.Command("sinfo", "-h", "-o", "%t")
		c.Env = s.env
		out, err := c.Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	})
	return s
}

// A search on Slurm gives what one process gives, to the byte, also when a task of the
// array is killed and all is submitted again; what was done is not done again.
func TestSlurm(t *testing.T) {
	if effort.Race {
		t.Skip("Slurm starts the same commands as the script parts")
	}
	if !available(t, "test of scripts/slurm-array.sbatch on Slurm", "sbatch", "slurmctld", "slurmd", "munged") {
		t.Skip("Slurm is missing")
	}
	// The first time, task 2 of the array waits to be killed.
	path := t.TempDir()
	marker := filepath.Join(path, "began")
	wrapper := fmt.Sprintf("#!/bin/sh\nif [ \"${SLURM_ARRAY_TASK_ID-}\" = 2 ] && ! [ -e %[1]s ]; then touch %[1]s; exec sleep 1000; fi\nexec %[2]s \"$@\"\n", marker, filepath.Join(bin, "dvmsearch"))
	if err := os.WriteFile(filepath.Join(path, "dvmsearch"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	s := newSlurm(t, path)
	search := []string{"-m", filepath.Join(root, "testdata/machines/mvs.par"), "--mode", "3", "--max", "16", "--sweep", "mvs.TStart=1,50", filepath.Join(root, "testdata/traces/sizes/jac_400.ptr.zst")}
	want := s.output(filepath.Join(bin, "dvmsearch"), search...)
	submit := func() (array, last string) {
		ids := strings.Fields(s.output(filepath.Join(root, "scripts/slurm-array.sbatch"), append([]string{"3", "result"}, search...)...))
		if len(ids) != 2 {
			t.Fatalf("it says %q, expected the ids of two jobs", ids)
		}
		return ids[0], ids[1]
	}
	idle := func() bool { return s.output("squeue", "-h") == "" }

	array, _ := submit()
	s.wait("task 2 runs", func() bool { _, err := os.Stat(marker); return err == nil })
	s.output("scancel", array+"_2")
	s.wait("all jobs of the first time have ended", idle)
	if _, err := os.Stat(filepath.Join(s.dir, "result")); err == nil {
		t.Fatal("there is a result, though a task was killed")
	}
	kept := map[string]time.Time{}
	for i, there := range []bool{true, false, true} {
		name := fmt.Sprintf("result.d/part.%d", i+1)
		fi, err := os.Stat(filepath.Join(s.dir, name))
		if (err == nil) != there {
			t.Fatalf("%s: %v, after task 2 was killed", name, err)
		}
		if there {
			kept[name] = fi.ModTime()
		}
	}

	submit()
	s.wait("all jobs of the second time have ended", idle)
	got, err := os.ReadFile(filepath.Join(s.dir, "result"))
	if err != nil {
		logs, _ := filepath.Glob(filepath.Join(s.dir, "result.d/log.*"))
		for _, l := range logs {
			b, _ := os.ReadFile(l)
			t.Logf("%s: %s", l, b)
		}
		t.Fatal(err)
	}
	if strings.TrimSpace(string(got)) != want {
		t.Errorf("the result differs from that of one process:\n%s", got)
	}
	for name, was := range kept {
		if fi, err := os.Stat(filepath.Join(s.dir, name)); err != nil || !fi.ModTime().Equal(was) {
			t.Errorf("%s was evaluated again", name)
		}
	}
}
