import type { Bias, Edge } from '../buses/gpio-bank.ts';
import type { Tools } from './tools.ts';

/** Which tools of libgpiod there are, and which chip leads to the header. */
export interface GpioTools {
  /** Versions 1 and 2 differ in their options. */
  readonly major: 1 | 2;
  /** For instance `gpiochip0`; `gpiochip4` on some kernels of a Raspberry Pi 5. */
  readonly chip: string;
}

/** The tools are missing, or no chip of theirs is that of the header. The message is the end of a sentence. */
export class GpioUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GpioUnusable';
  }
}

/** Labels of the chips that lead to the header: `pinctrl-bcm2835`, `pinctrl-bcm2711`, `pinctrl-rp1`. */
const headerLabel = /^pinctrl-/;
const versionLine = /\bv?(\d+)\.\d+/;
const chipLine = /^(\S+) \[([^\]]*)\]/;

/** @throws GpioUnusable, ToolMissing */
export async function findGpioTools(tools: Tools): Promise<GpioTools> {
  const version = await tools.run('gpiodetect', ['--version']);
  const major = Number(versionLine.exec(version.stdout)?.[1]);
  if (major !== 1 && major !== 2) throw new GpioUnusable('the tools of libgpiod are of an unknown version');
  const { stdout, stderr } = await tools.run('gpiodetect', []);
  for (const line of stdout.split('\n')) {
    const [, chip, label] = chipLine.exec(line) ?? [];
    if (chip !== undefined && label !== undefined && headerLabel.test(label)) return { major, chip };
  }
  throw new GpioUnusable(`gpiodetect shows no chip of the header${stderr === '' ? '' : ` (${stderr})`}`);
}

/** Options of `gpiomon`: one line a edge with the time of the kernel's monotonic clock, at once. */
export function monitorArgs(
  { major, chip }: GpioTools,
  line: number,
  { edge, bias }: { readonly edge: Edge; readonly bias: Bias },
): readonly string[] {
  if (major === 2) {
    const shape = ['--banner', '--event-clock', 'monotonic', '--format', '%S'];
    return ['--chip', chip, '--edges', edge, '--bias', bias, ...shape, String(line)];
  }
  // Version 1 prints numbers without leading zeros: seconds and nanoseconds are separate fields.
  return [`--${edge}-edge`, `--bias=${bias}`, '--line-buffered', '--format=%s %n', chip, String(line)];
}

/** Options of `gpioset` that drives a line until it is ended. */
export function holdArgs({ major, chip }: GpioTools, line: number, isHigh: boolean): readonly string[] {
  const level = `${line}=${isHigh ? 1 : 0}`;
  return major === 2 ? ['--chip', chip, level] : ['--mode=signal', chip, level];
}

/** The line that version 2 prints when it is ready. */
export const isBanner = (line: string): boolean => line.startsWith('Monitoring line');

/** Microseconds of the kernel's monotonic clock; undefined for any other line. */
export function edgeUs(line: string): number | undefined {
  const [, seconds, nanoseconds] = /^\s*(\d+)[ .](\d{1,9})\s*$/.exec(line) ?? [];
  if (seconds === undefined || nanoseconds === undefined) return undefined;
  return Number(seconds) * 1e6 + Math.round(Number(nanoseconds) / 1000);
}
