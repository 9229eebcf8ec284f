import type { BiomassSignals, bioreactorRoutes, Handlers } from '@lcs/contract';
import type { BioreactorState } from './bioreactor-state.ts';

/** The values of the vial, as this unit keeps them, and the signals that can stand for its biomass. */
export const bioreactorHandlers = (
  state: BioreactorState,
  signals: () => BiomassSignals,
): Handlers<typeof bioreactorRoutes> => ({
  getBiomassSignals: () => ({ status: 200, body: signals() }),
  getBioreactor: ({ params }) => ({ status: 200, body: { values: { ...state.values(params.experiment) } } }),
  setBioreactor: async ({ params, body }) => ({
    status: 200,
    body: { status: 'success', values: { ...(await state.set(params.experiment, body.values)) } },
  }),
});
