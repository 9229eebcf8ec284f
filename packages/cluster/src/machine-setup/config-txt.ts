/**
 * `config.txt` of a Raspberry Pi (documentation of its firmware, `config_txt`): lines `name=value`, filters in brackets that hold until
 * the next one (`[all]`: every computer), `dtparam` of the base device tree or, after a `dtoverlay`, of that overlay.
 */

/** What a board of version 1.0 to 1.2 needs. Parameters of the base come first: after an overlay they could be taken for its own. */
export const boardLines: readonly string[] = [
  'dtparam=i2c_arm=on',
  // Sound uses the hardware PWM of the same pins.
  'dtparam=audio=off',
  'dtparam=watchdog=on',
  'dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4',
  'dtoverlay=pwm-gpio,gpio=17',
  'dtoverlay=pwm-gpio,gpio=16',
  'dtoverlay=pwm-gpio,gpio=18',
];

/** The kernel's own switch for all five outputs (`packages/hardware/overlay`): it takes the place of the other overlays. */
export const outputsOverlay = 'lcs-outputs';

/** How the kernel drives the outputs: by that overlay, or by one or two outputs each (`pwm-2chan`, `pwm-gpio`). */
export const outputKinds = [outputsOverlay, 'pwm'] as const;
export type Outputs = (typeof outputKinds)[number];

const namesOverlay = (line: string): boolean => line.startsWith('dtoverlay=');

const overlayIn = (value: string): string => (value.split(',')[0] ?? '').trim();

const isOverlay = ({ name, value }: Entry, overlay: string): boolean =>
  name === 'dtoverlay' && overlayIn(value) === overlay;

/** Its lines under any filter: other overlays beside it would take the same pins on the computers of that filter. */
const outputsLines = (text: string): readonly Entry[] =>
  entriesOf(text).entries.filter((entry) => isOverlay(entry, outputsOverlay));

const hasOutputsOverlay = (text: string): boolean => outputsLines(text).length > 0;

/** Filters to which `lcs-outputs` is limited; empty: it holds on every computer, or is not chosen. */
export function outputsFilters(text: string): readonly string[] {
  const lines = outputsLines(text);
  return lines.some(({ isUnconditional }) => isUnconditional) ? [] : [...new Set(lines.map(({ filter }) => filter))];
}

/** The outputs that the file has, under any filter; undefined: none. */
export function outputsIn(text: string): Outputs | undefined {
  if (hasOutputsOverlay(text)) return outputsOverlay;
  return overlaysOf(boardLines).some((overlay) => entriesOf(text).entries.some((entry) => isOverlay(entry, overlay)))
    ? 'pwm'
    : undefined;
}

/** What the board needs beside what the file has, with these outputs. A line `lcs-outputs` with parameters of a person stays as it is. */
export function linesFor(text: string, outputs: Outputs = outputsIn(text) ?? 'pwm'): readonly string[] {
  if (outputs === 'pwm') return boardLines;
  const others = boardLines.filter((line) => !namesOverlay(line));
  return hasOutputsOverlay(text) ? others : [...others, `dtoverlay=${outputsOverlay}`];
}

/** Whether this line of the file is one of those that setup writes for outputs one by one: it may be replaced. */
const isOwnOverlay = ({ name, value, isUnconditional }: Entry): boolean =>
  isUnconditional &&
  name === 'dtoverlay' &&
  boardLines.some((line) => namesOverlay(line) && overlayKey(line.slice('dtoverlay='.length)) === overlayKey(value));

/** Lines that keep `lcs-outputs` from the pins, and that setup has not written. */
export const foreignOverlays = (text: string): readonly string[] =>
  entriesOf(text)
    .entries.filter((entry) => overlaysOf(boardLines).some((overlay) => isOverlay(entry, overlay)))
    .filter((entry) => !isOwnOverlay(entry))
    .map(({ name, value }) => `${name}=${value}`);

/** The text with these outputs: the lines of the other ones become comments. */
export function withOutputs(text: string, outputs: Outputs): string {
  const isOther = (entry: Entry) => (outputs === 'pwm' ? isOverlay(entry, outputsOverlay) : isOwnOverlay(entry));
  const replaced = new Set(
    entriesOf(text)
      .entries.filter(isOther)
      .map(({ line }) => line),
  );
  const lines = text.split(/(?<=\n)|(?<=\r)(?!\n)/);
  const kept = lines.map((line, index) => (replaced.has(index) ? `#${line}` : line)).join('');
  return withLines(kept, linesFor(kept, outputs));
}

/** Overlays that exclude each other: a GPIO belongs to one driver. Those beside `lcs-outputs` on the same computers. */
export function excludedOverlays(text: string): readonly string[] {
  const chosen = outputsLines(text);
  const { entries } = entriesOf(text);
  const isBeside = (other: Entry) =>
    chosen.some((line) => line.isUnconditional || other.isUnconditional || line.filter === other.filter);
  return overlaysOf(boardLines).filter((overlay) =>
    entries.some((entry) => isOverlay(entry, overlay) && isBeside(entry)),
  );
}

/** The overlays that the outputs of the board need, with this file. */
export const outputOverlays = (text: string): readonly string[] =>
  hasOutputsOverlay(text) ? [outputsOverlay] : overlaysOf(boardLines);

/** Names of the overlays in these lines, each once. */
const overlaysOf = (lines: readonly string[]): readonly string[] => [
  ...new Set(lines.flatMap((line) => /^dtoverlay=([^,]+)/.exec(line)?.[1] ?? [])),
];

/** Begins what setup writes. */
export const heading = '# Leader Control Service: the board of a unit';
/** The filter that holds on every computer. */
export const unconditional = '[all]';
/** An overlay without a name: parameters of the base may follow. */
export const scopeEnd = 'dtoverlay=';

/** Parameters that overlays of the display have too (`vc4-kms-v3d,audio`): a line after such an overlay does not reach the base. */
const sharedWithOverlays: ReadonlySet<string> = new Set(['audio']);

/** Other names of a parameter of the base. */
const aliases: Readonly<Record<string, string>> = { i2c: 'i2c_arm' };

interface Entry {
  /** Whether it holds on every computer. */
  readonly isUnconditional: boolean;
  /** `[pi5]`: the filter that it stands under. */
  readonly filter: string;
  /** After an overlay whose scope is open. */
  readonly isAfterOverlay: boolean;
  /** From 0 on. */
  readonly line: number;
  readonly name: string;
  readonly value: string;
}

/** The lines that are no comments, with what they stand under. */
function entriesOf(text: string): {
  readonly entries: readonly Entry[];
  readonly end: Omit<Entry, 'name' | 'value' | 'line'>;
} {
  const entries: Entry[] = [];
  let isUnconditional = true;
  let filter = unconditional;
  let isAfterOverlay = false;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = raw.trim();
    const inBrackets = /^\[(.*)\]$/.exec(line)?.[1]?.trim().toLowerCase();
    if (inBrackets !== undefined) {
      isUnconditional = inBrackets === 'all';
      filter = `[${inBrackets}]`;
    }
    const [, name, value] = /^([^#=\s][^=]*?)\s*=\s*(.*?)$/.exec(line) ?? [];
    if (inBrackets !== undefined || name === undefined || value === undefined) continue;
    entries.push({ isUnconditional, filter, isAfterOverlay, line: index, name, value });
    // A scope that only some computers end is open on the others.
    if (name === 'dtoverlay') isAfterOverlay = value !== '' || (isAfterOverlay && !isUnconditional);
  }
  return { entries, end: { isUnconditional, filter, isAfterOverlay } };
}

/** `i2c_arm=on,spi=on`; a parameter without a value is switched on. */
const parametersIn = (value: string): readonly (readonly [name: string, value: string])[] =>
  value.split(',').map((part) => {
    const [name = '', text = 'on'] = part.split('=');
    return [aliases[name.trim()] ?? name.trim(), text.trim()];
  });

/** The same text for the same overlay, in whatever order its parameters are. */
const overlayKey = (value: string): string => {
  const [overlay = '', ...parameters] = value.split(',').map((part) => part.trim());
  return [overlay, ...parameters.sort()].join(',');
};

/** Whether the last value of this parameter, under any filter, is the wanted one and holds on every computer. */
function hasParameter(entries: readonly Entry[], wanted: string): boolean {
  const [[name, value] = ['', '']] = parametersIn(wanted);
  const isMeant = ({ isAfterOverlay }: Entry) => !(isAfterOverlay && sharedWithOverlays.has(name));
  const said = entries
    .filter((entry) => entry.name === 'dtparam' && isMeant(entry))
    .flatMap((entry) =>
      parametersIn(entry.value).flatMap(([found, text]) =>
        found === name ? [{ isWanted: text === value, isUnconditional: entry.isUnconditional }] : [],
      ),
    );
  const lastWanted = said.findLastIndex(({ isWanted, isUnconditional }) => isWanted && isUnconditional);
  return lastWanted >= 0 && said.slice(lastWanted).every(({ isWanted }) => isWanted);
}

/** Those of the wanted lines that are not effective on every computer. */
export function missingLines(text: string, wanted: readonly string[]): readonly string[] {
  const { entries } = entriesOf(text);
  return wanted.filter((line) => {
    const value = line.slice(line.indexOf('=') + 1);
    if (line.startsWith('dtparam=')) return !hasParameter(entries, value);
    return !entries.some(
      (entry) => entry.isUnconditional && entry.name === 'dtoverlay' && overlayKey(entry.value) === overlayKey(value),
    );
  });
}

/**
 * The text with the missing lines at its end, where they take precedence; every line that was there stays as it is, with its line
 * ending. The same text, if nothing is missing.
 */
export function withLines(text: string, wanted: readonly string[]): string {
  const missing = missingLines(text, wanted);
  if (missing.length === 0) return text;
  const { isUnconditional, isAfterOverlay } = entriesOf(text).end;
  const endsScope = isAfterOverlay && missing.some((line) => line.startsWith('dtparam='));
  const added = [
    ...(text === '' ? [] : ['']),
    heading,
    ...(isUnconditional ? [] : [unconditional]),
    ...(endsScope ? [scopeEnd] : []),
    ...missing,
  ];
  const newline = /\r\n/.test(text) ? '\r\n' : '\n';
  const isEnded = text === '' || /[\r\n]$/.test(text);
  return `${text}${isEnded ? '' : newline}${added.join(newline)}${newline}`;
}
