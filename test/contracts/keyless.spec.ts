import { keylessCapabilities } from '../../src/psp/stripe/stripe.psp.js';
import { exercisePsp } from './exercise-psp.js';
import { stripeSubject } from './stripe-subject.js';

exercisePsp('keyless', stripeSubject('keyless', keylessCapabilities));
