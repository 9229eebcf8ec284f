/** The search part of the address of the page Now. */
export interface NowSearch {
  /** Only units of this experiment. */
  readonly experiment?: string;
  /** `wall`: the whole screen, without navigation. */
  readonly view?: 'wall';
}

/** Parses the search part of an address, which a person may have typed; unknown parts are left out. */
export function readNowSearch({ experiment, view }: Record<string, unknown>): NowSearch {
  return {
    ...(typeof experiment === 'string' || typeof experiment === 'number' ? { experiment: String(experiment) } : {}),
    ...(view === 'wall' ? { view } : {}),
  };
}
