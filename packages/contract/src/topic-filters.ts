/**
 * Whether a filter matches all topics that another one matches; a topic is the filter of itself (MQTT 3.1.1, section 4.7).
 * Empty levels and shared subscriptions (`$share/…`) have no special meaning.
 */
export function filterCovers(filter: string, other: string): boolean {
  const levels = filter.split('/');
  const others = other.split('/');
  const [first = ''] = others;
  // Wildcards of the first level do not match topics that begin with $.
  if (first.startsWith('$') && (levels[0] === '+' || levels[0] === '#')) return false;
  for (const [index, level] of levels.entries()) {
    const against = others[index];
    // It also matches the level above.
    if (level === '#') return true;
    if (against === undefined || against === '#') return false;
    if (level !== '+' && level !== against) return false;
  }
  return levels.length === others.length;
}
