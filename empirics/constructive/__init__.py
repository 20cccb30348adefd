"""The Mixture of Experts of the approximation theorem, fitted exactly by least squares."""
