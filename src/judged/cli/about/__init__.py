"""Commands about `judged` itself: the demo, the list of measures, the state of the installation."""
