/** The search part of the address of the updates page. */
export interface UpdatesSearch {
  /** The task of an update: the web UI loads anew when the leader has another version, and follows it still. */
  readonly task?: string;
}

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export const readUpdatesSearch = ({ task }: Record<string, unknown>): UpdatesSearch =>
  typeof task === 'string' && task !== '' ? { task } : {};
