/** What a person who comes to a job of a unit wants to do there. */
export type UnitJobAct = 'start' | 'stop';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * Done once on the row of the job that the address names, as if its button were pressed. It is no part of the address: a link
     * of somebody else starts and stops nothing.
     */
    readonly jobAct?: UnitJobAct;
  }
}
