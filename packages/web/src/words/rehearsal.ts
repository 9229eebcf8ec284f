export const rehearsalWords = {
  // Rehearsal view
  eachUnit: 'each unit',

  // Rehearsal view
  odSignalNotCalibrated: 'OD signal, not calibrated',
  volumeOfVial: 'Volume of the vial',
  alternativeMediumUsed: 'Alternative medium used',
  answers: {
    yes: 'The profile reaches its end in all simulations.',
    no: 'The profile does not reach its end in any simulation.',
    uncertain: 'The profile reaches its end in some simulations only.',
  },
  inAllSimulations: 'in all simulations',
  inPercentOfSimulations: (share: number) => `in ${share} % of the simulations`,
  afterHours: (hours: string, low: string, high: string) =>
    `after ${hours}${low === high ? '' : ` (${low} to ${high})`}`,
  andAfterHours: (hours: string) => `, after ${hours}`,
  aboutLeft: (span: string) => `, about ${span} left`,
  sameNumberOfVials: ' Each unit has the same number of them, so that there may be more than entered.',
  computedInWithSeed: (elapsed: string, seed: number) => `computed in ${elapsed} with the seed ${seed}`,
  simulationsOf: (draws: number, hours: string, computed: string, more: string) =>
    `${draws} simulations of ${hours}, ${computed}.${more} Shaded: 10th to 90th percentile of the simulations.`,
  cultureIs: (organism: string) => `Culture: ${organism}`,
  growthRateAt: (growthRate: string, growthRateSpread: string, temperature: string) =>
    `growth rate ${growthRate} per hour ${growthRateSpread} at ${temperature} °C`,
  initialOd: (initialOd: string, initialOdSpread: string) => `initial OD ${initialOd} ${initialOdSpread}`,
  lagHours: (lagH: string) => `lag ${lagH} h`,
  highestOd: (highestOd: string) => `highest OD ${highestOd}`,
  pumpsVary: (pumpSpread: string) => `pumps ${pumpSpread}`,

  // Rehearsal result
  whenWaitsAndLoopsEnd: 'When waits and loops end',
  unitsAreAlike: 'The units are alike: each line and its band are of every unit.',

  // Rehearsal panel
  yeast: 'Yeast',
  eColiGlucoseMedium: 'E. coli, glucose medium',
  eColiLb: 'E. coli, LB',
  unitsOfExperiment: 'Units of experiment',
  fitToPastExperiment: 'Fit to a past experiment',
  noFit: 'No fit',
  hours: 'Hours',
  toEnd: 'To the end',
  simulations: 'Simulations',
  rehearseAgain: 'The profile has changed since this rehearsal: rehearse it again.',
  rehearsalIsBeingComputed: 'The rehearsal is being computed',
  computing: 'Computing',
  rehearsal: 'Rehearsal',
  rehearsalHelp:
    'Carries out the profile on simulated vials, with the programs of a real run. Nothing is started on the units.',
  rehearse: 'Rehearse',
  textHasErrors: 'The text has errors',
} as const;
