const foreignPrefix = 'pioreactor_';

/** The name under which we know a model that a client of a similar system calls `pioreactor_…`. */
export const normaliseModelName = (name: string): string =>
  name.startsWith(foreignPrefix) ? `reactor_${name.slice(foreignPrefix.length)}` : name;
