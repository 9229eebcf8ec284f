export const usualStartWords = {
  jobsStartOn: (jobs: string, count: number, units: string) =>
    `${jobs} ${count === 1 ? 'starts' : 'start'} on ${units}.`,
  runsAlready: (title: string, units: string) => `${title} runs already on ${units} and keeps its values.`,
  profileGoesOn:
    'A profile runs in this experiment and goes on: its next steps may start, change or stop these jobs, too.',
  heatersWarmVials: 'The heaters warm the vials.',
  noHeaterStarts: 'This starts no heater.',
  noPumpStarts: 'This starts no pump.',
  noHeaterNoPump: 'This starts no heater and no pump.',
  startUsualJobsDialog: 'Start usual jobs…',
} as const;
