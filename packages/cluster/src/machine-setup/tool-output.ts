/** Outputs of programs of the operating system, each with its locale C. */

/** `systemctl show` of several units: blocks of `Key=value`, separated by empty lines. */
export function shownUnits(output: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const units = new Map<string, Readonly<Record<string, string>>>();
  for (const block of output.split(/\n\s*\n/)) {
    const values = Object.fromEntries(
      block.split('\n').flatMap((line) => {
        const at = line.indexOf('=');
        return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
      }),
    );
    if (values.Id !== undefined) units.set(values.Id, values);
  }
  return units;
}

/** Names of the units in `systemctl list-units --plain --no-legend`: the first word of a line. */
export const listedUnits = (output: string): readonly string[] =>
  output.split('\n').flatMap((line) => /^\s*(?:●\s*)?(\S+\.\S+)/.exec(line)?.[1] ?? []);

/** Programs that listen, by port, in `ss -Hltnp`. */
export function listenersIn(output: string): ReadonlyMap<number, string> {
  return new Map(
    output.split('\n').flatMap((line) => {
      const local = line.trim().split(/\s+/)[3];
      const port = Number(/:(\d+)$/.exec(local ?? '')?.[1]);
      return port > 0 ? [[port, /users:\(\("([^"]*)"/.exec(line)?.[1] ?? '']] : [];
    }),
  );
}

/** `df -B1 --output=size,avail`: a heading, then numbers. */
export function spaceIn(output: string): { readonly totalBytes: number; readonly availableBytes: number } | undefined {
  const [, total, available] = /^\s*(\d+)\s+(\d+)\s*$/m.exec(output) ?? [];
  return total === undefined ? undefined : { totalBytes: Number(total), availableBytes: Number(available) };
}

/** The file system at `/` in `/proc/mounts`: the last one that was mounted there. */
export function rootMount(mounts: string): { readonly device: string; readonly isReadOnly: boolean } | undefined {
  const root = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === '/');
  if (root === undefined) return undefined;
  const [device = '', , , options = ''] = root;
  return { device: device.replace(/^\/dev\//, ''), isReadOnly: options.split(',').includes('ro') };
}

const spans: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600 };

/** A time span of systemd: `15s`, `1min 30s`, `0`, `infinity` (which means that it is off). Seconds. */
export function secondsIn(span: string): number | undefined {
  if (span.trim() === 'infinity' || span.trim() === '0') return 0;
  const parts = [...span.matchAll(/(\d+)(us|ms|s|min|h)\b/g)];
  if (parts.length === 0) return undefined;
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (spans[unit] ?? 0), 0);
}

const sizes: Readonly<Record<string, number>> = { B: 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** `journalctl --disk-usage`: "Archived and active journals take up 48.0M in the file system." */
export function journalBytesIn(output: string): number | undefined {
  const [, number, unit = ''] = /take up ([\d.]+)([BKMGT])/.exec(output) ?? [];
  return number === undefined ? undefined : Number(number) * (sizes[unit] ?? 1);
}

/** A number of `/proc/meminfo`, in bytes. */
export function memoryIn(meminfo: string, name: string): number | undefined {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** JEDEC eMMC, `DEVICE_LIFE_TIME_EST`: two numbers in tenths of its life, 0 if unknown; the worse one counts. */
export function usedLifeIn(lifeTime: string): number | undefined {
  const tenths = Math.max(
    0,
    ...[...lifeTime.matchAll(/0x([0-9a-f]{2})/gi)].map(([, hex = '0']) => Number.parseInt(hex, 16)),
  );
  return tenths === 0 ? undefined : tenths * 10;
}

/** Whether version `found` is at least `needed`; each number counts, whatever follows. */
export function isAtLeast(found: string, needed: readonly number[]): boolean {
  const numbers = (/^\d+(\.\d+)*/.exec(found)?.[0] ?? '').split('.').map(Number);
  for (const [index, least] of needed.entries()) {
    const number = numbers[index] ?? 0;
    if (number !== least) return number > least;
  }
  return true;
}
