import { momentOf } from '../time/moment-in-address.ts';

/** The tabs of the page of a unit, in their order. */
export const unitTabs = ['live', 'control', 'why', 'calibrations', 'hardware'] as const;
export type UnitTab = (typeof unitTabs)[number];

/** The search part of the address of a unit's page; a missing tab is `live`. */
export interface UnitSearch {
  readonly tab?: UnitTab;
  /** The open procedure of the tab of calibrations. */
  readonly session?: string;
  /** The job on the tab of controls that a person came for. */
  readonly job?: string;
  /** The moment on the tab of reasons that a person came for, RFC 3339. */
  readonly at?: string;
  /** The device whose calibrations a person came for. */
  readonly device?: string;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The tab of a name, which a person may have typed; undefined: there is none of this name. */
export const unitTabOf = (value: unknown): UnitTab | undefined => unitTabs.find((tab) => tab === value);

/** Reads the search part of an address; an unknown tab is left out. */
export function readUnitSearch(search: Record<string, unknown>): UnitSearch {
  const known = unitTabOf(search.tab);
  if (known === 'control') {
    const job = textOf(search.job);
    return { tab: known, ...(job !== undefined && { job }) };
  }
  if (known === 'why') {
    const at = momentOf(search.at);
    return { tab: known, ...(at !== undefined && { at }) };
  }
  if (known !== 'calibrations') return known === undefined ? {} : { tab: known };
  const [session, device] = [textOf(search.session), textOf(search.device)];
  return { tab: known, ...(session !== undefined && { session }), ...(device !== undefined && { device }) };
}
