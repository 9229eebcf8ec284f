const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

/** JSON for people who compare files: two spaces, keys in their order. */
export const jsonText = (value: unknown): string => `${JSON.stringify(sorted(value), null, 2)}\n`;
