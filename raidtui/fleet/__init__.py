"""Many hosts: values, recipes, looks, builds; verbs in `cli`, screens in `tui`. No other room imports it."""
