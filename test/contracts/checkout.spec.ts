import { checkoutSubject } from './checkout-subject.js';
import { exercisePsp } from './exercise-psp.js';

exercisePsp('checkout', checkoutSubject);
