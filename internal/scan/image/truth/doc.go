// Package truth checks the overlay against the code that unpacks layers in real
// runtimes. It is a module of its own, so that the auditor's go.mod does not carry
// the runtimes' dependencies.
package truth
