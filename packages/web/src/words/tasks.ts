export const tasksWords = {
  // Task toast
  stateNotKnown: (running: string) => `${running}: its state is not known.`,

  // Unit answers
  noAnswer: {
    error: 'The leader has no answer of this unit.',
    cause: 'Its result does not name the unit.',
    remediation: 'Check the state of the job, then try again.',
  },
  unitCouldNotBeReached: 'The unit could not be reached.',
  unitSilentHelp: 'Check that it is switched on and in the network, then try again.',
  unitGaveNoReason: 'The unit gave no reason.',
  checkTargetAndItsScale: 'Check the target and its scale.',

  // Answers that are missing or not readable
  unitSilent: {
    error: (unit: string) => `${unit} did not answer.`,
    cause: 'Its answer did not come in time.',
    remediation: 'Check that the unit is switched on and in the network, then try again.',
  },
  unreadable: {
    error: (unit: string) => `The answer of ${unit} is not readable.`,
    cause: 'Its fields do not match the declared shape.',
    remediation: 'Install the same version on the leader and the unit, then try again.',
  },
} as const;
