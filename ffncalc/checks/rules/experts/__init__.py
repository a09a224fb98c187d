"""Mixtures of experts and latent attention."""
