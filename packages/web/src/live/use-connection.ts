import { useSyncExternalStore } from 'react';
import { useServices } from '../app/services.tsx';
import type { ConnectionPhase, ConnectionState } from './connection-state.ts';

export function useConnection(): ConnectionState {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, live.getState);
}

export function useConnectionPhase(): ConnectionPhase {
  const { live } = useServices();
  return useSyncExternalStore(live.subscribe, () => live.getState().phase);
}
