/** What a stop means for units that do not answer. */
export const offlineText = (offline: readonly string[]): string =>
  `Offline: ${offline.join(', ')}. ${offline.length === 1 ? 'It stops' : 'They stop'} when the connection is back.`;
