import type { IniDocument } from './ini-document.ts';
import { type IniView, viewOf } from './ini-view.ts';

/** The active configuration of a unit: the shared file, overridden key by key by the unit's own file. */
export const mergeIni = (shared: IniDocument, own: IniDocument): IniView => viewOf([shared.layer(), own.layer()]);
