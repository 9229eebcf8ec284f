import type { DosingRecords } from '../bioreactor/dosing-store.ts';

/** The ledger of a unit that is forgotten with its process: it counts, and nobody reads its entries. */
export const noDosingRecords: DosingRecords = {
  add: async () => {},
  close: async () => {},
  states: async () => new Map(),
  valuesBeforeLedger: async () => new Map(),
  openDoses: async () => [],
  entries: async () => [],
  lastHour: async () => [],
};
