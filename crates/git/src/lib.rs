//! Reads sources (refs, history, trees, watching) and writes the ledger's objects; knows no pack.
