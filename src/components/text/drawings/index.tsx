/** The world of tokens as a drawing, beside its transcript. */
import type { TextView } from '../../../engine/view';
import { CalcDrawing } from './calc';
import { GraphDrawing } from './graph';
import { VerifierDrawing } from './verifier';

export function Drawing({ view }: { view: TextView }) {
  switch (view.kind) {
    case 'graph':
      return <GraphDrawing view={view} />;
    case 'calc':
      return <CalcDrawing view={view} />;
    case 'verifier':
      return <VerifierDrawing view={view} />;
  }
}
