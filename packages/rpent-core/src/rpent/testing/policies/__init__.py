"""For tests of policies: a backend without a model that fails as it is told, and the contract of every backend."""
