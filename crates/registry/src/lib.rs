//! Decides: settings, discovery, baseline, report, plan; references, ranges and resolved forms.
