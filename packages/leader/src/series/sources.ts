/** How a source of readings is answered. */
export interface SourceFormat {
  /** Digits after the point, rounded half away from zero. */
  readonly decimals: number;
  /** Whether each channel is a line of its own, named `unit-channel`. */
  readonly byChannel: boolean;
}

const usual: SourceFormat = { decimals: 7, byChannel: false };
const channels: SourceFormat = { decimals: 7, byChannel: true };

const formats: ReadonlyMap<string, SourceFormat> = new Map([
  ['growth_rate', { decimals: 5, byChannel: false }],
  ['growth_rate_sd', { decimals: 5, byChannel: false }],
  ['temperature', { decimals: 2, byChannel: false }],
  ['od', channels],
  ['raw_od', channels],
  ['od_blank', channels],
]);

/** The format of a source of docs/interfaces.md 6.1; sources of plugins have the usual one. */
export const sourceFormat = (source: string): SourceFormat => formats.get(source) ?? usual;
