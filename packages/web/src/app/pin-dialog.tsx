import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useServices } from '../services/services.tsx';

const PinForm = lazy(() => import('./pin-form.tsx'));

/** Asks who acts, when an action of a shared tablet needs it. */
export function PinDialog() {
  const { pinPrompt } = useServices();
  const { isAsked } = useSyncExternalStore(pinPrompt.subscribe, pinPrompt.state);
  if (!isAsked) return null;
  return (
    <Suspense fallback={null}>
      <PinForm onClose={pinPrompt.cancel} />
    </Suspense>
  );
}
