/** A blank in words: `photodiode 2: 0.0613 V`. */
export const blankValues = (means: Readonly<Record<string, number>>): string =>
  Object.entries(means)
    .map(([channel, volts]) => `photodiode ${channel}: ${volts.toPrecision(3)} V`)
    .join(', ');

/** What a unit reports when a blank is kept or removed: `{means, problems}`; means are null when it was removed. */
export const blankEventName = 'od_blank';
