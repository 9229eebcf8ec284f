/** Replaces the en and em dashes that editors of texts make out of '-'. Applied to what people send, before anything else. */
export const normaliseDashes = (text: string): string => text.replaceAll(/[\u2013\u2014]/g, '-');
