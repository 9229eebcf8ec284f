import type { Points } from './extremes.ts';

const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** Writes moments as instants; the date is worked out once a day, the rest taken from tables. */
export class InstantWriter {
  #day = Number.NaN;
  #date = '';

  write(at: number): string {
    const day = Math.floor(at / dayMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
    }
    const ms = at - day * dayMs;
    const seconds = Math.floor(ms / 1000);
    const minutes = Math.floor(seconds / 60);
    const hours = Math.floor(minutes / 60);
    return `${this.#date}${twoDigits[hours]}:${twoDigits[minutes - hours * 60]}:${twoDigits[seconds - minutes * 60]}.${threeDigits[ms - seconds * 1000]}Z`;
  }
}

/** Rounded half away from zero to `decimals` digits after the point. */
export function roundHalfAway(value: number, decimals: number): number {
  const scaled = Math.abs(value) * 10 ** decimals;
  // Beyond this a number has no such digits, and scaling it would only lose some.
  if (scaled >= Number.MAX_SAFE_INTEGER) return value;
  const rounded = Math.round(scaled) / 10 ** decimals;
  return value < 0 && rounded !== 0 ? -rounded : rounded;
}

/** No point takes more bytes than this: `{"x":"…","y":…},` with an instant of 24 and a number of at most 25 characters. */
export const mostBytesPerPoint = 64;

/** The points as JSON text, `[{"x":…,"y":…},…]`. */
export function pointsText(points: Points, decimals: number): string {
  const instants = new InstantWriter();
  let text = '[';
  for (let index = 0; index < points.at.length; index += 1) {
    const comma = index === 0 ? '' : ',';
    const y = roundHalfAway(points.value[index] ?? 0, decimals);
    text += `${comma}{"x":"${instants.write(points.at[index] ?? 0)}","y":${y}}`;
  }
  return `${text}]`;
}
