import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useServices } from '../services/services.tsx';

const ToastCorner = lazy(() => import('./toast-corner.tsx'));

/** The corner of the notices, from the first one on. */
export function Toasts() {
  const { toasts } = useServices();
  const areWanted = useSyncExternalStore(toasts.subscribe, toasts.areWanted);
  if (!areWanted) return null;
  return (
    <Suspense fallback={null}>
      <ToastCorner />
    </Suspense>
  );
}
