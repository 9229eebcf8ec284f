import { type RefObject, useEffect, useState } from 'react';

/** Elements just outside the window count as in view, so that charts are ready when scrolled to. */
const margin = '200px';

/** Whether an element is (nearly) in view and the browser tab is visible. */
export function useInView(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false);
  const [isTabVisible, setTabVisible] = useState(() => !document.hidden);
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return undefined;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: margin,
    });
    observer.observe(watched);
    return () => observer.disconnect();
  }, [element]);
  useEffect(() => {
    const update = (): void => setTabVisible(!document.hidden);
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return isNear && isTabVisible;
}
