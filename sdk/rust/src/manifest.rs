//! Plugin manifests.
