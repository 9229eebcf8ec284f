import { createProgram } from '@lcs/cli';

type Command = ReturnType<typeof createProgram>;

/** Commands of the program that people see, with their words: `profiles run`. */
function commandsOf(
  program: Command,
  words: readonly string[] = [],
): readonly { words: readonly string[]; command: Command }[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .flatMap((command) => {
      const own = [...words, command.name()];
      if (command.name() === 'help') return [];
      return [{ words: own, command }, ...commandsOf(command, own)];
    });
}

/** The program as the texts describe it: nothing is run or printed. */
const described = (): Command =>
  createProgram({
    arguments: [],
    environment: {},
    defaultDataFolder: '/var/lib/lcs',
    stdout: { write: () => undefined },
    stderr: { write: () => undefined },
    onSignal: () => {},
    exit: () => {},
  });

/** A text of roff: a line that begins with a dot or an apostrophe is no command, a minus is no hyphen. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');

function commandSection({ words, command }: { words: readonly string[]; command: Command }): readonly string[] {
  const help = command.createHelp();
  const usage = `lcs ${words.join(' ')} ${command.usage()}`;
  return [
    `.SS ${roff(words.join(' '))}`,
    roff(`${command.description()}.`),
    '.PP',
    `.B ${roff(usage.trim())}`,
    ...help
      .visibleArguments(command)
      .flatMap((argument) => ['.TP', `.I ${roff(argument.name())}`, roff(help.argumentDescription(argument))]),
    ...help
      .visibleOptions(command)
      .filter((option) => option.long !== '--help')
      .flatMap((option) => ['.TP', `.B ${roff(option.flags)}`, roff(help.optionDescription(option))]),
  ];
}

/** The manual page `lcs(1)`. */
export function manualPage(version: string, date: string): string {
  const program = described();
  return `${[
    `.TH LCS 1 "${date}" "lcs ${version}" "User Commands"`,
    '.SH NAME',
    `lcs \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    '.B lcs',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commandsOf(program).flatMap(commandSection),
    '.SH EXIT STATUS',
    '0: done. 1: failed; the message says what to do. 2: the command line is not valid.',
    '.SH FILES',
    '.TP',
    '.I /etc/lcs/leader.env, /etc/lcs/unit.env',
    roff('Options of the services lcs-leader and lcs-unit.'),
    '.TP',
    '.I /etc/lcs/database.env',
    roff('Database and options of the services lcs-control, lcs-api and lcs-ingest.'),
    '.TP',
    '.I /var/lib/lcs, /var/lib/lcs-unit',
    'Data of the services.',
  ].join('\n')}\n`;
}

/** The completion of commands and options in bash. */
export function bashCompletion(): string {
  const program = described();
  const words = (command: Command): string => {
    const help = command.createHelp();
    const names = help.visibleCommands(command).map((each) => each.name());
    const options = help.visibleOptions(command).flatMap(({ long }) => (long === undefined ? [] : [long]));
    return [...names, ...options].join(' ');
  };
  const cases = commandsOf(program).map(
    ({ words: path, command }) => `    '${path.join(' ')}') words='${words(command)}' ;;`,
  );
  return `# Completion of lcs for bash.
_lcs() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
    '') words='${words(program)}' ;;
${cases.join('\n')}
    *) words='' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _lcs lcs
`;
}
