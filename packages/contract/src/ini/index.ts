/** The configuration files as text, which the API carries: read and edited by the leader, the units and the web UI alike. */
export type { IniDocument } from './ini-document.ts';
export { IniUnwritable, normaliseDashes } from './ini-text.ts';
export type { IniView } from './ini-view.ts';
export { mergeIni } from './merge-ini.ts';
export { type IniDiagnostic, isTooLong, parseIni } from './parse-ini.ts';
