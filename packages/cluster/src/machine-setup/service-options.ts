/**
 * The options of a service, in the file that its unit reads (systemd.exec(5), EnvironmentFile): `LCS_UNIT_OPTIONS="--name rx01 …"`,
 * which the service manager splits at white space.
 */

/** Its words; undefined: the text does not set the variable. */
export function optionsIn(text: string, variable: string): readonly string[] | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const line = lines.findLast((each) => each.startsWith(`${variable}=`));
  if (line === undefined) return undefined;
  const value = line.slice(variable.length + 1).replace(/^(["'])(.*)\1$/, '$2');
  return value.split(/\s+/).filter((word) => word !== '');
}

/** Whether the file can have this word: inside of its double quotes, quotes, backslashes, `$` and white space have a meaning. */
export const isWritable = (word: string): boolean => !/["'\\\s$]/.test(word);

/** The text with these words; its other lines stay. @throws RangeError for a word that would end the value or begin a line */
export function withOptions(text: string, variable: string, words: readonly string[]): string {
  const invalid = words.find((word) => !isWritable(word));
  if (invalid !== undefined) throw new RangeError(`${JSON.stringify(invalid)} cannot be written as an option`);
  const line = `${variable}="${words.join(' ')}"`;
  const lines = text.split('\n');
  const at = lines.findLastIndex((each) => each.trim().startsWith(`${variable}=`));
  if (at >= 0) return lines.with(at, line).join('\n');
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

/** The value of an option; '' for one without a value; undefined: it is not there. */
export function optionValue(words: readonly string[], option: string): string | undefined {
  const at = words.findLastIndex((word) => word === option || word.startsWith(`${option}=`));
  const word = words[at];
  if (word === undefined) return undefined;
  if (word !== option) return word.slice(option.length + 1);
  const next = words[at + 1];
  return next === undefined || next.startsWith('--') ? '' : next;
}

function withoutOption(words: readonly string[], option: string): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === option) {
      if (words[at + 1]?.startsWith('--') === false) at += 1;
    } else if (!word.startsWith(`${option}=`)) kept.push(word);
  }
  return kept;
}

/** The words with these values; undefined removes an option. Words that have their value already stay where they are. */
export function withValues(
  words: readonly string[],
  values: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return Object.entries(values).reduce<readonly string[]>((result, [option, value]) => {
    if (optionValue(result, option) === value) return result;
    const others = withoutOption(result, option);
    return value === undefined ? others : [...others, option, value];
  }, words);
}

/** Whether a process runs with these words, in this order, beside others. */
export function runsWith(processArguments: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const word of processArguments) if (word === words[at]) at += 1;
  return at === words.length;
}
