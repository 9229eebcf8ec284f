/** A part of a command as a shell takes it. */
const word = (text: string): string => (/^[\w.:/@-]+$/.test(text) ? text : `'${text}'`);

interface JoinCommand {
  /** Address of the leader. */
  readonly origin: string;
  readonly code: string;
  /** Undefined: the unit takes the host name of its machine. */
  readonly unit: string | null;
}

/** What a person types on the machine of a unit. */
export const joinCommand = ({ origin, code, unit }: JoinCommand): string =>
  [...['lcs', 'unit'], ...(unit === null ? [] : ['--name', word(unit)]), '--leader', word(origin), '--code', code].join(
    ' ',
  );

/** Whether only the machine of the leader itself reaches this host name. */
export const isOwnMachine = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
