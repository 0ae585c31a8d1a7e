// Runs a program for each request, body on its stdin and its stdout as the answer: the least that any
// fork-per-request watchdog does. Usage: exec_server ADDRESS PROGRAM [ARGUMENT...]
package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
)

func main() {
	address, program, arguments := os.Args[1], os.Args[2], os.Args[3:]
	handler := func(w http.ResponseWriter, r *http.Request) {
		command := exec.CommandContext(r.Context(), program, arguments...)
		command.Stdin = r.Body
		var out bytes.Buffer
		command.Stdout = &out
		if err := command.Run(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(out.Bytes())
	}
	if err := http.ListenAndServe(address, http.HandlerFunc(handler)); err != nil {
		panic(err)
	}
}
