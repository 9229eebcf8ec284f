/** What a job drives decides when it is stopped: first what can spill, then what can burn, the light last. */
const stopOrder = ['pumps', 'heat_and_pwm', 'automations', 'rest', 'leds'] as const;
export type StopGroup = (typeof stopOrder)[number];

/** The jobs in groups that are stopped one after the other; those of a group at the same time. */
export function inStopOrder<Job>(jobs: Iterable<Job>, groupOf: (job: Job) => StopGroup): readonly (readonly Job[])[] {
  const all = [...jobs];
  return stopOrder.map((group) => all.filter((job) => groupOf(job) === group)).filter((group) => group.length > 0);
}
