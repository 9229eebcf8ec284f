import { useSyncExternalStore } from 'react';
import type { ConnectionPhase, ConnectionState } from '../live/connection-state.ts';
import { useServices } from './services.tsx';

export function useConnection(): ConnectionState {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, live.getState);
}

export function useConnectionPhase(): ConnectionPhase {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, () => live.getState().phase);
}
