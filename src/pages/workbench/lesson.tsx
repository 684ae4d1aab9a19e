/** The lesson in the serif voice, from Markdown without raw HTML, with every claim and its verdict. */
import { ExternalLink } from 'lucide-react';
import Markdown from 'react-markdown';
import { useScenario } from '../../stores/scenario';
import { ClaimLine } from './claims';

export default function Lesson() {
  const scenario = useScenario((state) => state.scenario);
  if (scenario === undefined) return null;
  const { lesson, title, summary, claims, paper } = scenario;
  return (
    <article className="lesson">
      {lesson === '' ? (
        <>
          <h2>{title}</h2>
          <p>{summary}</p>
        </>
      ) : (
        // A heading of the lesson is below the page's own; pictures from elsewhere would leave the machine.
        <Markdown skipHtml disallowedElements={['img']} components={{ h1: 'h2' }}>
          {lesson}
        </Markdown>
      )}
      {claims.length > 0 && (
        <>
          <h3>What it claims, and what was measured</h3>
          {claims.map((claim) => (
            <ClaimLine key={claim.id} claim={claim} />
          ))}
        </>
      )}
      {paper && (
        <p>
          <a href={paper.url} target="_blank" rel="noreferrer">
            {paper.title} <ExternalLink size={14} aria-label="(opens in a new tab)" />
          </a>
        </p>
      )}
    </article>
  );
}
